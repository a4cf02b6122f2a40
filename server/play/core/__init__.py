"""An attempt as a fold over its journal, without I/O."""
