"""The page, its headers and previews."""
