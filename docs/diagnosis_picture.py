"""Draw the picture of the page on trust, Pima insulin: ``python docs/diagnosis_picture.py``."""

from pathlib import Path

from rocpredict import datasets, diagnose
from rocpredict.base.files import write_atomic
from rocpredict.plots.style import figure_to_bytes

TARGET = Path(__file__).parent / "images" / "diagnosis.png"

if __name__ == "__main__":
    pima = datasets.load_pima(zeros_as_missing=True)
    diagnosis = diagnose(pima.column("insulin"), pima.y, positive="pos", nan_policy="omit")
    write_atomic(TARGET, figure_to_bytes(diagnosis.plot(feature="insulin", unit="mU/l"), "png", dots_per_inch=100))
