"""The page, its headers and link previews, and the HTTP interface."""
