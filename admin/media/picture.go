package media

// MaxMemory bounds what decoding one picture may take, in bytes and in megabytes. A photo with 48
// megapixels takes 72 MB, one with 24 megapixels and 16 bits takes 192 MB.
const (
	MaxMemory    = MaxMegabytes << 20
	MaxMegabytes = 192
)

// Memory returns how many bytes it takes to decode a picture: width × height × channels × bytes
// per channel, and what the format's decoder keeps besides. It reads headers only. It is 0 for
// a file that is not a JPEG, PNG, WebP or GIF, and fails with code Invalid for one that is cut
// off or makes no sense.
func Memory(b []byte) (int64, error) {
	if sniff(b) == "" {
		return 0, nil
	}
	p, err := read(b)
	return p.memory, err
}

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

// area is how many pixels a picture has, or one more than memory could hold.
func (p *cleaned) area() int64 { return min(int64(p.Width)*int64(p.Height), MaxMemory+1) }

// checkSize doubts what would take too much memory, or has no size. memory is what decoding takes,
// in bytes.
func (p *cleaned) checkSize(memory int64) {
	if p.Width < 1 || p.Height < 1 {
		p.doubt("The picture has no size")
		return
	}
	p.memory = memory
	if p.memory > MaxMemory {
		p.doubt("The picture is too large: its %d by %d pixels take more than %d MB of memory. Make it smaller", p.Width, p.Height, MaxMegabytes)
	}
}
