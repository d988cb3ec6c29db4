package mailtext

import (
	"strings"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// site converts the content of a campaign's page into blocks of a mail.
type site struct {
	language
	base string // absolute URL, without a trailing slash
	page string // absolute URL of the campaign's page
}

// imageFolder is the folder of the site's own images.
const imageFolder = "/assets/images/"

// content converts a page's blocks into blocks of a mail. It fails with code Invalid if a
// text is unsafe or too long, or if a block has an unknown type.
func (s site) content(blocks []campaign.Block) (group, error) {
	var all group
	for _, b := range blocks {
		switch b.Type {
		case campaign.TextBlock, campaign.QuoteBlock:
			text, err := richtext.Check(b.Text, MaxNews)
			if err != nil {
				return nil, inField("content", err)
			}
			part := s.markdown(text)
			if b.Type == campaign.QuoteBlock {
				part = group{quote(append(part, nonEmpty(small(notify.PlainLine(b.Attribution)))...))}
			}
			all = append(all, part...)
		case campaign.ImageBlock, campaign.GalleryBlock:
			for _, i := range b.Images {
				all = append(all, s.image(i.Src, i.Alt)...)
			}
			all = append(all, nonEmpty(small(notify.PlainLine(b.Caption)))...)
		case campaign.VideoBlock, campaign.AudioBlock, campaign.EmbedBlock:
			all = append(all, s.mediaLink(b)...)
		case campaign.DividerBlock:
			all = append(all, divider{})
		default:
			return nil, fault.New(fault.Invalid, "Unknown block type").In("content")
		}
	}
	return all, nil
}

// mediaLink returns a button that opens a video or audio file, which mails cannot play, and its
// caption. It returns nil for a link that is not a safe absolute URL.
func (s site) mediaLink(b campaign.Block) group {
	link := s.absolute(b.Src + b.URL) // only one of them is set
	if !isAbsolute(link) {
		return nil
	}
	label := "watch"
	if b.Type == campaign.AudioBlock {
		label = "listen"
	}
	a := action{Lead: notify.PlainLine(b.Title), Label: s.Format(label), Link: link}
	return append(group{a}, nonEmpty(small(notify.PlainLine(b.Caption)))...)
}

// image returns the image if it is one of the site's own, otherwise nil: an image on another server
// would let that server track who opens the mail.
func (s site) image(src, alt string) group {
	path := strings.TrimPrefix(src, s.base)
	if !strings.HasPrefix(path, imageFolder) || safety.Media(path) != nil {
		return nil
	}
	return group{picture{Src: s.base + path, Alt: notify.PlainLine(alt)}}
}

// absolute resolves a path or a fragment of the campaign's page to an absolute URL. It returns
// other links unchanged.
func (s site) absolute(link string) string {
	switch {
	case strings.HasPrefix(link, "/"):
		return s.base + link
	case strings.HasPrefix(link, "#"):
		return s.page + link
	}
	return link
}
