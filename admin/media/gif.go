package media

import "encoding/binary"

// maxFrames is the maximum number of frames in an animation.
const maxFrames = 2000

// gif parses the blocks of a GIF.
type gif struct {
	in     []byte
	at     int
	made   cleanFile
	frames int
}

func readGIF(b []byte) (cleanFile, error) {
	if len(b) < 13 {
		return cleanFile{}, truncated()
	}
	g := gif{in: b}
	g.made = cleanFile{Width: int(binary.LittleEndian.Uint16(b[6:])), Height: int(binary.LittleEndian.Uint16(b[8:])),
		Bytes: make([]byte, 0, len(b))}
	g.made.checkSize(4 * g.made.area()) // browsers draw frames on a canvas with four channels
	if err := g.keep(13 + colorTableSize(b[10])); err != nil {
		return cleanFile{}, err
	}
	for g.at < len(b) {
		var err error
		switch b[g.at] {
		case 0x21:
			err = g.extension()
		case 0x2c:
			err = g.frame()
		case 0x3b:
			if g.frames == 0 {
				g.made.reject("The GIF has no frames")
			}
			g.made.Bytes = append(g.made.Bytes, 0x3b)
			return g.made, nil
		default:
			err = invalidFile("The GIF is damaged")
		}
		if err != nil {
			return cleanFile{}, err
		}
	}
	return cleanFile{}, truncated()
}

// colorTableSize returns the size of a color table in bytes.
func colorTableSize(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// keep copies the next n bytes.
func (g *gif) keep(n int) error {
	if g.at+n > len(g.in) {
		return truncated()
	}
	g.made.Bytes = append(g.made.Bytes, g.in[g.at:g.at+n]...)
	g.at += n
	return nil
}

// blocks returns the total length of the data sub-blocks that start at a position.
func (g *gif) blocks(from int) (int, error) {
	for at := from; at < len(g.in); at += int(g.in[at]) + 1 {
		if g.in[at] == 0 {
			return at + 1 - from, nil
		}
	}
	return 0, truncated()
}

// extension copies an extension that controls an animation, and drops any other, such as comments.
func (g *gif) extension() error {
	n, err := g.blocks(g.at + 2)
	if err != nil {
		return err
	}
	block := g.in[g.at : g.at+2+n]
	name := ""
	if block[1] == 0xff && len(block) > 14 && block[2] == 11 {
		name = string(block[3:14])
	}
	if block[1] == 0xf9 && len(block) == 8 || (name == "NETSCAPE2.0" || name == "ANIMEXTS1.0") && len(block) == 19 {
		return g.keep(len(block))
	}
	g.at += len(block)
	return nil
}

func (g *gif) frame() error {
	if g.at+10 > len(g.in) {
		return truncated()
	}
	d := g.in[g.at:]
	right := int(binary.LittleEndian.Uint16(d[1:])) + int(binary.LittleEndian.Uint16(d[5:]))
	bottom := int(binary.LittleEndian.Uint16(d[3:])) + int(binary.LittleEndian.Uint16(d[7:]))
	if g.frames++; right > g.made.Width || bottom > g.made.Height || g.frames > maxFrames {
		g.made.reject("The GIF is damaged, or its animation is too long")
	}
	head := 10 + colorTableSize(d[9]) + 1 // includes the minimum code size
	n, err := g.blocks(g.at + head)
	if err != nil {
		return err
	}
	return g.keep(head + n)
}
