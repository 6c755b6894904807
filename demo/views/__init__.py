"""The page's screens, a folder each with its view, values and export; beside them what they share."""
