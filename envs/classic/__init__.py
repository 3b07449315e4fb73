"""Problems of the field: classic control and navigation, compiled."""
