package campaignfile

import "github.com/pledgeworks/pledgeworks/pledge/campaign"

// anchorLink is a link in a text to an anchor of the campaign's page.
type anchorLink struct {
	line          int
	field, anchor string
}

// recordAnchors records the anchors that a text links to. checkAnchors checks them after the whole
// file was read.
func (r *reader) recordAnchors(line int, field string, anchors []string) {
	for _, a := range anchors {
		r.anchors = append(r.anchors, anchorLink{line, field, a})
	}
}

// checkAnchors warns about links to anchors that the page does not have.
func (r *reader) checkAnchors(c *campaign.Campaign) {
	for _, l := range r.anchors {
		if !c.HasAnchor(l.anchor) {
			r.warn(l.line, l.field,
				"links to an anchor that the page does not have: use a section (#rewards, #diary), a reward (#reward-early-bird) or a diary entry (#2026-11-03-open)")
		}
	}
}
