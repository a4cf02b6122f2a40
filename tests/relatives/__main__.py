"""`python -m tests.relatives`: their rules as JSON, in the form of `python -m engine rules`."""

from __future__ import annotations

import json
import sys

from engine.catalog import Catalog
from tests.relatives import RELATIVES

json.dump(Catalog(RELATIVES.values()).exported(), sys.stdout, indent=1)
