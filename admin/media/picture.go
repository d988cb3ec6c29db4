package media

// MaxMemory and MaxMegabytes limit the memory for decoding one picture, in bytes and
// megabytes. A photo with 48 megapixels takes 72 MB, one with 24 megapixels and 16 bits
// takes 192 MB.
const (
	MaxMemory    = MaxMegabytes << 20
	MaxMegabytes = 192
)

// Memory returns the number of bytes needed to decode a picture: width × height × channels × bytes
// per channel, plus the format's additional buffers. It reads headers only. It returns 0 for a file
// that is not a JPEG, PNG, WebP or GIF, and fails with code Invalid for a truncated or malformed
// one.
func Memory(b []byte) (int64, error) {
	if sniff(b) == "" {
		return 0, nil
	}
	p, err := parsePicture(b)
	return p.memory, err
}

// picture returns a function that sanitizes pictures of a media type.
func picture(kind string) func([]byte) (Sanitized, error) {
	return func(b []byte) (Sanitized, error) {
		if sniff(b) != kind {
			return Sanitized{}, contentMismatch(kind[len("image/"):])
		}
		p, err := parsePicture(b)
		if err == nil {
			err = p.unfit
		}
		return Sanitized{Bytes: p.Bytes, Width: p.Width, Height: p.Height, Orientation: p.Orientation}, err
	}
}

// area returns the number of pixels, limited to MaxMemory + 1.
func (p *cleanFile) area() int64 { return min(int64(p.Width)*int64(p.Height), MaxMemory+1) }

// checkSize rejects a picture without a width or height, or whose decoding needs more than
// MaxMemory. memory is in bytes.
func (p *cleanFile) checkSize(memory int64) {
	if p.Width < 1 || p.Height < 1 {
		p.reject("The picture has no width or height")
		return
	}
	p.memory = memory
	if p.memory > MaxMemory {
		p.reject("The picture is too large: its %d by %d pixels take more than %d MB of memory. Make it smaller",
			p.Width, p.Height, MaxMegabytes)
	}
}
