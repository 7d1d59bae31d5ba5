"""How many cases a study needs, from the class distributions it expects.

Do not use it for several readings of one case, for several readers, or for data in a few ordered categories
with many ties: there the cases carry less than is counted on here.
"""

from rocpredict.planning.plans import Alternative, Plan, plan

__all__ = ["Alternative", "Plan", "plan"]
