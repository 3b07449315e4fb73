"""Parts of tree searches: arrays of nodes, selection, widening, descent, leaf, back-up."""
