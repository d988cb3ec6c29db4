// Package safety validates the plain text, links, media addresses and embeds of pages and messages
// before they are stored. Package richtext does the same for Markdown.
//
// Control characters are removed from text. All other unsafe input is rejected with code
// fault.Invalid. The message explains how to fix the input and never repeats it.
package safety
