"""What registering calls say: operators, keys, kernels and schemas, from the blocks as they stand in the files."""
