"""Draw the picture of the README, Iris petal length: ``python docs/readme_picture.py``."""

from pathlib import Path

from rocpredict import datasets, empirical_roc, predict_roc
from rocpredict.base.files import write_atomic
from rocpredict.plots.curves import plot_side_by_side
from rocpredict.plots.style import figure_to_bytes

TARGET = Path(__file__).parent / "images" / "predicted_and_empirical.png"

if __name__ == "__main__":
    iris = datasets.load_iris()
    x, classes = iris.column("petal_length"), {"positive": "virginica", "negative": "versicolor"}
    predicted, empirical = predict_roc(x, iris.y, **classes), empirical_roc(x, iris.y, **classes)
    picture = plot_side_by_side(predicted, empirical, feature="petal length", unit="cm")
    write_atomic(TARGET, figure_to_bytes(picture, "png", dots_per_inch=125))
