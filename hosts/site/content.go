package site

import (
	"html/template"
	"net/url"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/safety"
)

// rich renders rich text on its own page.
func rich(s string) template.HTML {
	return template.HTML(richtext.HTML(s, "")) //nolint:gosec // richtext removes unsafe markup
}

// block is a content block with resolved pictures and videos.
type block struct {
	campaign.Block
	Pictures []shown
	Media    string // of video and audio
	Poster   picture
	Frame    string // of embeds: the URL to load
}

// shown is a picture with its texts.
type shown struct {
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
		out.Pictures = append(out.Pictures, shown{b.images.picture(i.Src), i.Alt, i.Caption})
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

// inline publishes pictures referenced in Markdown unchanged.
func (b *Builder) inline(references []campaign.Reference) {
	for _, r := range references {
		if r.Inline {
			b.images.media(r.Path)
		}
	}
}

// film returns a video file, or the frame of an approved provider.
func (b *Builder) film(src string) (media, frame string) {
	if frame, err := safety.Embed(src); err == nil {
		return "", frame
	}
	return b.images.media(src), ""
}

// hostOf returns the host name in a URL.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
