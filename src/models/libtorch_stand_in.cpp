// Empty on purpose: a library of libtorch.so's name and nothing in it, as torch's own is.
