package campaign

import "strings"

// ArchiveFolder holds the campaigns that are over and off the site. What was pledged to
// them still has its campaign.
const ArchiveFolder = "archive/campaigns"

// ArchivedPath is where a file of the content repository lies once its campaign is
// archived.
func ArchivedPath(slug, path string) string {
	return ArchiveFolder + "/" + slug + "/" + strings.TrimPrefix(path, Folder+"/")
}

// Archived reports whether the campaign's file is in the archive.
func (c *Campaign) Archived() bool { return strings.HasPrefix(c.File, ArchiveFolder+"/") }
