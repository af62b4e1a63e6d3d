"""The narrow waist: treeplexes, payoff operators, and what is measured on them."""
