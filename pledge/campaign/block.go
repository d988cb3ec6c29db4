package campaign

// BlockType is the type of a content block.
type BlockType string

// Types of blocks.
const (
	TextBlock    BlockType = "text"
	QuoteBlock   BlockType = "quote"
	ImageBlock   BlockType = "image"
	GalleryBlock BlockType = "gallery"
	VideoBlock   BlockType = "video"
	AudioBlock   BlockType = "audio"
	EmbedBlock   BlockType = "embed"
	DividerBlock BlockType = "divider"
)

// Block is one part of a page. Its type determines which of the fields are set.
type Block struct {
	Type        BlockType `json:"type"`
	Text        string    `json:"text,omitempty"`        // rich text, of text and quote
	Attribution string    `json:"attribution,omitempty"` // of quote; plain text
	Images      []Image   `json:"images,omitempty"`      // of image (one) and gallery
	Src         string    `json:"src,omitempty"`         // of video and audio
	Poster      string    `json:"poster,omitempty"`      // of video
	Title       string    `json:"title,omitempty"`       // of video, audio and embed; plain text
	Caption     string    `json:"caption,omitempty"`     // of video, audio, embed and gallery; plain text
	URL         string    `json:"url,omitempty"`         // of embed: the provider's own embed address
}

// Image is an image on a page.
type Image struct {
	Src string `json:"src"`
	// Alt describes the image. It is only "" if the file marks the image as decorative.
	Alt     string `json:"alt"`
	Caption string `json:"caption,omitempty"` // plain text
}

// DiaryEntry is an update of a campaign.
type DiaryEntry struct {
	ID      string  `json:"id"` // from the file, or derived from date and title
	Date    Moment  `json:"date"`
	Title   string  `json:"title"`
	Phase   string  `json:"phase,omitempty"` // one of Phases, or ""
	Content []Block `json:"content,omitempty"`
}

// Phases returns the valid values of DiaryEntry.Phase except "".
func Phases() []string {
	return []string{"fundraising", "pre-production", "production", "post-production", "distribution"}
}
