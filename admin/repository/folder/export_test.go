package folder

// AtStep has do called at each step of a commit.
func (r *Repository) AtStep(do func(name string)) { r.step = do }
