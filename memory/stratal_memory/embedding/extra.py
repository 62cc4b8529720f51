"""What to install for models that only sentence-transformers runs."""

INSTALL = (
    'Run `pip install "torch==2.13.0" "stratal[sentence-transformers]"`; a torch without a version '
    "may pull several GB of CUDA libraries."
)
