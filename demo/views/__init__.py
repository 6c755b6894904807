"""Values that each view of the page draws, and the files that it saves."""
