package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The size of a share card in pixels. Social networks show pictures with these proportions
// uncropped.
const (
	cardWidth  = 1200
	cardHeight = 630
	cardMargin = 80
	// pictureHeight is the height of the campaign's picture on a card.
	pictureHeight = 420
	// cardVersion is part of the name in the cache. Increment it when the design of cards changes.
	cardVersion = 2
)

// cards draws share cards, the pictures that social networks show next to a link.
type cards struct {
	title, line font.Face
	ink, paper  color.RGBA
}

// card is the content of a share card.
type card struct {
	Title, Line, Brand string
	Accent             color.RGBA
	Picture            string // name in the image cache, "" for a card with text only
}

func newCards() (*cards, error) {
	c := &cards{ink: color.RGBA{0x12, 0x15, 0x2a, 0xff}, paper: color.RGBA{0xf7, 0xf8, 0xfb, 0xff}}
	for _, f := range []struct {
		ttf  []byte
		size float64
		face *font.Face
	}{{gobold.TTF, 76, &c.title}, {goregular.TTF, 34, &c.line}} {
		parsed, err := opentype.Parse(f.ttf)
		if err != nil {
			return nil, err
		}
		if *f.face, err = opentype.NewFace(parsed,
			&opentype.FaceOptions{Size: f.size, DPI: 72, Hinting: font.HintingNone}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// card returns the content of a campaign's share card.
func (e *edition) card(s campaignView, l locale) card {
	goal, err := l.say("card_goal", "Goal", s.Goal.Price(l.Code))
	if err != nil {
		goal = s.Goal.Price(l.Code)
	}
	line := goal
	if s.CreatorName != "" {
		line = s.CreatorName + "  ·  " + goal
	}
	return card{Title: s.Title, Line: line, Brand: e.config.Site.Name,
		Accent: accent(e.settings.Design["color_primary"]), Picture: s.Hero.cacheName(cardWidth)}
}

// accent parses a validated color such as #b5472f or #abc. It returns the default color for "".
func accent(hex string) color.RGBA {
	c := color.RGBA{0x2e, 0x3f, 0xa3, 0xff}
	hex = strings.TrimPrefix(hex, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	if len(hex) != 6 {
		return c
	}
	digit := func(b byte) uint8 { return uint8(strings.IndexByte("0123456789abcdef", lower(b))) }
	at := func(i int) uint8 { return digit(hex[i])<<4 | digit(hex[i+1]) }
	return color.RGBA{at(0), at(2), at(4), 0xff}
}

// shareCard returns the picture of a card from the cache. If it is missing, shareCard draws it
// first.
func (b *Builder) shareCard(k card) (File, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %+v", cardVersion, k))
	name := "card-" + hex.EncodeToString(sum[:12]) + ".png"
	file := File{Type: "image/png", Open: func() (fs.File, error) { return b.images.cache.Open(name) }}
	if kept, err := file.Open(); err == nil {
		return file, kept.Close()
	}
	png, err := b.cards.draw(k, b.images.storedImage(k.Picture))
	if err != nil {
		return File{}, err
	}
	return file, b.images.cache.Put(name, png)
}

// palette returns the palette of a card, from the background to the text color and the accent.
func (c *cards) palette(accent color.RGBA) color.Palette {
	const steps = 24
	p := color.Palette{c.paper}
	for _, to := range []color.RGBA{c.ink, accent} {
		for i := 1; i <= steps; i++ {
			mix := func(a, b uint8) uint8 {
				return uint8((int(a)*(steps-i) + int(b)*i) / steps) //nolint:gosec // between two bytes
			}
			p = append(p, color.RGBA{mix(c.paper.R, to.R), mix(c.paper.G, to.G), mix(c.paper.B, to.B), 0xff})
		}
	}
	return p
}

// draw returns a card as a PNG. A picture is drawn above the text unless it is nil.
func (c *cards) draw(k card, picture image.Image) ([]byte, error) {
	if picture != nil {
		return c.drawPicture(k, picture)
	}
	img := image.NewPaletted(image.Rect(0, 0, cardWidth, cardHeight), c.palette(k.Accent))
	draw.Draw(img, img.Bounds(), image.NewUniform(c.paper), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 0, 24, cardHeight), image.NewUniform(k.Accent), image.Point{}, draw.Src)
	y := 190
	for _, line := range wrap(c.title, k.Title, cardWidth-2*cardMargin, 3) {
		c.write(img, c.title, c.ink, cardMargin, y, line)
		y += 92
	}
	c.write(img, c.line, c.ink, cardMargin, y+10, truncate(c.line, k.Line, cardWidth-2*cardMargin))
	c.write(img, c.line, k.Accent, cardMargin, cardHeight-64, truncate(c.line, k.Brand, cardWidth-2*cardMargin))
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

func (c *cards) drawPicture(k card, picture image.Image) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight))
	draw.Draw(img, img.Bounds(), image.NewUniform(c.paper), image.Point{}, draw.Src)
	top := image.Rect(0, 0, cardWidth, pictureHeight)
	draw.CatmullRom.Scale(img, top, picture, centeredCrop(picture.Bounds(), top), draw.Over, nil)
	draw.Draw(img, image.Rect(0, pictureHeight, cardWidth, pictureHeight+8),
		image.NewUniform(k.Accent), image.Point{}, draw.Src)
	c.write(img, c.title, c.ink, cardMargin, 524, truncate(c.title, k.Title, cardWidth-2*cardMargin))
	brand := truncate(c.line, k.Brand, 400)
	width := font.MeasureString(c.line, brand).Ceil()
	c.write(img, c.line, c.ink, cardMargin, 590, truncate(c.line, k.Line, cardWidth-2*cardMargin-width-40))
	c.write(img, c.line, k.Accent, cardWidth-cardMargin-width, 590, brand)
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

// centeredCrop returns the largest centered part of a picture that has the proportions of an area.
func centeredCrop(picture, area image.Rectangle) image.Rectangle {
	w, h := picture.Dx(), picture.Dy()
	if w*area.Dy() > h*area.Dx() {
		w = max(1, h*area.Dx()/area.Dy())
	} else {
		h = max(1, w*area.Dy()/area.Dx())
	}
	at := picture.Min.Add(image.Pt((picture.Dx()-w)/2, (picture.Dy()-h)/2))
	return image.Rectangle{at, at.Add(image.Pt(w, h))}
}

func (c *cards) write(img draw.Image, face font.Face, ink color.Color, x, y int, text string) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(text)
}

// wrap breaks text into at most maxLines lines of at most width pixels. Longer text ends with an
// ellipsis.
func wrap(face font.Face, text string, width, maxLines int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && font.MeasureString(face, longer).Ceil() > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	lines = append(lines, line)
	if len(lines) > maxLines {
		lines = append(lines[:maxLines-1], strings.Join(lines[maxLines-1:], " "))
	}
	for i := range lines {
		lines[i] = truncate(face, lines[i], width)
	}
	return lines
}

// truncate truncates text to a width in pixels, including the ellipsis that it adds.
func truncate(face font.Face, text string, width int) string {
	if font.MeasureString(face, text).Ceil() <= width {
		return text
	}
	letters := []rune(text)
	for len(letters) > 0 && font.MeasureString(face, string(letters)+"…").Ceil() > width {
		letters = letters[:len(letters)-1]
	}
	return strings.TrimSpace(string(letters)) + "…"
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'F' {
		return b + 'a' - 'A'
	}
	return b
}
