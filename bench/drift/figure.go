package main

import "leadline/bench/goal"

type (
	figure = goal.Figure
	share  = goal.Share
)
