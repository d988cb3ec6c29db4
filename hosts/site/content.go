package site

import (
	"html/template"
	"net/url"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// rich renders rich text as HTML for the page that contains it. Links to anchors get no URL, unlike
// in the feed.
func rich(s string) template.HTML {
	return template.HTML(richtext.HTML(s, "")) //nolint:gosec // richtext removes unsafe markup
}

// block is a content block with its pictures and videos.
type block struct {
	campaign.Block
	Pictures []captionedPicture
	Media    string // path of the video or audio file
	Poster   picture
	Frame    string // URL of the provider's frame
}

// captionedPicture is a picture with its alternative text and caption.
type captionedPicture struct {
	picture
	Alt, Caption string
}

func (b *Builder) blocks(list []campaign.Block) ([]block, error) {
	out := make([]block, 0, len(list))
	for _, c := range list {
		made, err := b.block(c)
		if err != nil {
			return nil, err
		}
		out = append(out, made)
	}
	return out, nil
}

func (b *Builder) block(c campaign.Block) (block, error) {
	out := block{Block: c}
	for _, i := range c.Images {
		out.Pictures = append(out.Pictures, captionedPicture{b.images.picture(i.Src), i.Alt, i.Caption})
	}
	var err error
	out.Poster = b.images.optional(c.Poster)
	switch c.Type {
	case campaign.VideoBlock, campaign.AudioBlock:
		out.Media, out.Frame = b.film(c.Src)
	case campaign.EmbedBlock:
		out.Frame, err = safety.Embed(c.URL)
	case campaign.TextBlock, campaign.QuoteBlock, campaign.ImageBlock, campaign.GalleryBlock, campaign.DividerBlock:
	}
	return out, err
}

// markInlineUsed marks the pictures referenced in Markdown as used. They are published unchanged.
func (b *Builder) markInlineUsed(references []campaign.Reference) {
	for _, r := range references {
		if r.Inline {
			b.images.useMedia(r.Path)
		}
	}
}

// film returns the path of a video or audio file. If src is a link to an approved provider, it
// returns the URL of the provider's frame instead.
func (b *Builder) film(src string) (media, frame string) {
	if frame, err := safety.Embed(src); err == nil {
		return "", frame
	}
	return b.images.useMedia(src), ""
}

// hostOf returns the host in a URL, or "" if the URL is invalid.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
