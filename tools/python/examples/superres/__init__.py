"""A published super-resolution network as folders of kernels (README.md)."""
