"""YAML files, validated: scenarios, attributes, names, profiles, prices."""
