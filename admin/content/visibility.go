package content

// The values of a campaign's visibility.
const (
	Public      = "public"
	PreviewOnly = "preview" // only people with a preview link see the page
	Hidden      = "hidden"
)
