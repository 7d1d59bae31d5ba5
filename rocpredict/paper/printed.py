"""What the founding paper printed. Percentages stand as fractions, everything else in the paper's unit."""

EXAMPLE = {"mean": (4.0, 8.0), "std": (3.0, 2.0)}
"""The simulated classes of Table I and Figure 2, (negative, positive)."""

BALANCED = (1000, 1000)
IMBALANCED = (500, 1000)
"""Cases of the two experiments of Table I, (negative, positive)."""

TABLE_1 = {
    "AUC": {"prediction": 0.8663, "balanced": 0.8735, "imbalanced": 0.8712},
    "max Ameans": {"prediction": 0.7950, "balanced": 0.8000, "imbalanced": 0.7990},
}

FEATURES = ("sepal length", "sepal width", "petal length", "petal width")

TABLE_2 = {
    "mean class 2": (5.94, 2.77, 4.26, 1.33),
    "mean class 3": (6.59, 2.97, 5.55, 2.03),
    "difference": (0.65, 0.20, 1.29, 0.70),
    "SD class 2": (0.52, 0.31, 0.47, 0.20),
    "SD class 3": (0.64, 0.32, 0.55, 0.27),
}
"""Iris, classes 2 (versicolor) and 3 (virginica), by feature."""

TABLE_3 = {
    "class 2 to the mean of class 2": (0.71, 0.34),
    "class 3 to the mean of class 2": (1.74, 0.70),
    "class 2 to the mean of class 3": (1.70, 0.60),
    "class 3 to the mean of class 3": (0.82, 0.45),
}
"""Mean and SD of the Euclidean distance to a class mean, over all four features."""

TABLE_4 = {
    "sepal length": (0.7847, 0.7175),
    "sepal width": (0.6735, 0.6259),
    "petal length": (0.9622, 0.8974),
    "petal width": (0.9793, 0.9320),
    "distance to mean of class 2": (0.9086, 0.8538),
    "distance to mean of class 3": (0.8783, 0.8013),
}
"""Predicted AUC and maximum Ameans."""
