"""What pyproject.toml cannot say: a wheel carries the shipped models and two photographs, as seps/assets."""

from pathlib import Path
from shutil import copytree

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("models", "galleries/photos")  # below assets


class BuildWithAssets(build_py):
    """Build the package with what ships; an editable install finds it in the repo."""

    def run(self) -> None:
        """Copy the Python files, then the folders of assets."""
        super().run()
        if not self.editable_mode:
            for folder in SHIPPED:
                copytree(Path("assets", folder), Path(self.build_lib, "seps", "assets", folder), dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithAssets})
