"""The semantic call graph (layer 7): every C++ and CUDA unit of a tree through libclang, without a build."""
