"""The app as a Space of the model hub: writes the folder with the required files, and tests it."""
