"""The only way to a model: a bridge keeps conversations, an oracle answers questions.

Oracles come in four kinds (a provider, a model in this process, answers written
beforehand, and nonsense on purpose) and in wrappers that try again, count, keep and play
back. The libraries of providers are named here and nowhere else, and loaded late.
"""
