"""Any provider's model, through one library: `oracle` asks, the rest translates.

`table` says who they are; `model` opens one, `words` and `stream` turn its words into ours
and `errors` its errors.
"""
