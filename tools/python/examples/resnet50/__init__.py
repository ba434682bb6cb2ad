"""ResNet-50 in int8, made of the operators; see README.md and __main__.py."""
