"""Print the relatives' rules as `python -m engine rules` does: `python -m tests.relatives`."""

from __future__ import annotations

import json
import sys

from engine.catalog import Catalog
from tests.relatives import RELATIVES

json.dump(Catalog(RELATIVES.values()).exported(), sys.stdout, indent=1)
