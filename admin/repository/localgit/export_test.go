package localgit

// AtStep sets a function that is called at each step of a commit.
func (r *Repository) AtStep(do func(name string)) { r.step = do }
