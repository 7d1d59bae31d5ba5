"""Draw the picture of the README, Iris petal length: ``python docs/readme_picture.py``."""

from pathlib import Path

from rocpredict import datasets, empirical_roc, predict_roc
from rocpredict.files import write_whole
from rocpredict.plots import side_by_side
from rocpredict.plots.saving import as_bytes

TARGET = Path(__file__).parent / "images" / "predicted_and_empirical.png"

if __name__ == "__main__":
    iris = datasets.load_iris()
    x, classes = iris.column("petal_length"), {"positive": "virginica", "negative": "versicolor"}
    predicted, empirical = predict_roc(x, iris.y, **classes), empirical_roc(x, iris.y, **classes)
    picture = side_by_side(predicted, empirical, feature="petal length", unit="cm")
    write_whole(TARGET, as_bytes(picture, "png", dots_per_inch=125))
