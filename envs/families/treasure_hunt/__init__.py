"""A walk to a treasure among holes; an instance draws start, treasure and holes."""
