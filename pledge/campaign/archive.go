package campaign

import "strings"

// ArchiveFolder is the folder of campaigns that have ended and were removed from the site, but to
// which pledges still refer.
const ArchiveFolder = "archive/campaigns"

// ArchivedPath returns the path that a campaign's file in the content repository has after the
// campaign is archived.
func ArchivedPath(slug, path string) string {
	return ArchiveFolder + "/" + slug + "/" + strings.TrimPrefix(path, Folder+"/")
}

// Archived reports whether the campaign's file is in the archive.
func (c *Campaign) Archived() bool { return strings.HasPrefix(c.File, ArchiveFolder+"/") }
