package content

import "github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"

// Rights decide which fields of a file a caller may read and write. Paths are as in
// campaignfile.Change. Both methods fail with code Forbidden and the field.
type Rights interface {
	Read(file, path string) error
	Write(file, path string) error
}

// As returns a service for a caller with the rights. Files and histories are returned without the
// fields that the caller may not read, and drafts that change fields that the caller may not write
// are rejected. Without As, every field can be read and written.
func (s *Service) As(r Rights) *Service {
	as := *s
	as.rights = r
	return &as
}

func (s *Service) mayRead(file, path string) bool {
	return s.rights == nil || s.rights.Read(file, path) == nil
}

// readableChanges returns the changes that the caller may read, and whether there are
// others.
func (s *Service) readableChanges(file string, all []Change) (readable []Change, hidden bool) {
	readable = make([]Change, 0, len(all))
	for _, c := range all {
		if s.mayRead(file, c.Path) {
			readable = append(readable, c)
		}
	}
	return readable, len(readable) < len(all)
}

// readableMessage describes the readable changes of a commit that also has hidden ones.
func readableMessage(file string, changes []Change) string {
	if len(changes) == 0 {
		return fileName(file) + ": change fields that you do not have access to"
	}
	return commitMessage(file, changes)
}

// checkEdits rejects edits of fields that the caller may not see or change. It runs before
// the file is read, because a conflict shows the value in the file.
func (s *Service) checkEdits(d Draft) error {
	if s.rights == nil {
		return nil
	}
	for _, e := range d.Edits {
		if err := campaignfile.CheckPath(e.Path); err != nil {
			return err
		}
		if !e.unchanged() {
			if err := s.rights.Write(d.File, e.Path); err != nil {
				return err
			}
		}
		if err := s.rights.Read(d.File, e.Path); err != nil {
			return err
		}
	}
	return nil
}

// checkChanges rejects a result that differs in fields that the caller may not change. YAML
// aliases can make an edit change other fields.
func (s *Service) checkChanges(file string, changes []campaignfile.Difference) error {
	if s.rights == nil {
		return nil
	}
	for _, c := range changes {
		if c.Path == "slug" && c.Before == nil {
			continue // the slug is made explicit before the title changes
		}
		if err := s.rights.Write(file, c.Path); err != nil {
			return err
		}
	}
	return nil
}
