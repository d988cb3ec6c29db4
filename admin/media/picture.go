package media

// maxPixels bounds what a picture may unpack to: sixty million take a quarter of a gigabyte.
const maxPixels = 60_000_000

// picture accepts one format.
func picture(kind string) func([]byte) (Accepted, error) {
	return func(b []byte) (Accepted, error) {
		if sniff(b) != kind {
			return Accepted{}, unlike(kind[len("image/"):])
		}
		p, err := read(b)
		if err == nil {
			err = p.unfit
		}
		return Accepted{Bytes: p.Bytes, Width: p.Width, Height: p.Height, Orientation: p.Orientation}, err
	}
}

// checkSize doubts what would unpack to too much, or to nothing.
func (p *cleaned) checkSize() {
	if p.Width < 1 || p.Height < 1 {
		p.doubt("The picture has no size")
	}
	if int64(p.Width)*int64(p.Height) > maxPixels {
		p.doubt("The picture has more than %d million pixels", maxPixels/1_000_000)
	}
}
