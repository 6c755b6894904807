"""An explanation on its way out, for every screen: its layers, what is said of them, and how it is packed."""
