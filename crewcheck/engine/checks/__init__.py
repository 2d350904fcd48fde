"""What `verify` looks for: a module for each family of rules, and one table of all rules.

A check of a document takes a `Subject` and yields a `Flaw` for each thing that it finds; it
never raises, whatever the document holds. Checks of a whole store take what the one pass
over its documents has gathered.
"""
