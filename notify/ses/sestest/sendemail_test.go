package sestest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

type fields = map[string]any

func mailWith(change, simple fields) fields {
	s := fields{"Subject": fields{"Data": "Hi"}, "Body": fields{"Text": fields{"Data": "Hello"}}}
	maps.Copy(s, simple)
	m := fields{"FromEmailAddress": "Cine <pledges@example.org>",
		"Destination": fields{"ToAddresses": []string{"ana@example.com"}}, "Content": fields{"Simple": s}}
	maps.Copy(m, change)
	return m
}

func named(name, value string) fields { return fields{"Name": name, "Value": value} }

// The fake has SES's limits.
func TestServer_Limits(t *testing.T) {
	to := func(n int) fields {
		return fields{"Destination": fields{"ToAddresses": slices.Repeat([]string{"ana@example.com"}, n)}}
	}
	headers := func(n int, name, value string) fields {
		return fields{"Headers": slices.Repeat([]fields{named(name, value)}, n)}
	}
	tags := func(n int, value string) fields {
		return fields{"EmailTags": slices.Repeat([]fields{named("key", value)}, n)}
	}
	file := func(change fields) fields {
		f := fields{"FileName": "a.csv", "ContentType": "text/csv", "ContentDisposition": "ATTACHMENT",
			"ContentTransferEncoding": "BASE64", "RawContent": []byte("a")}
		maps.Copy(f, change)
		return fields{"Attachments": []fields{f}}
	}
	for name, tt := range map[string]struct {
		change, simple fields
		kind           string // expected error type; "" if the mail is accepted
	}{
		"a mail":        {},
		"HTML alone":    {simple: fields{"Body": fields{"Html": fields{"Data": "<p>"}}}},
		"no body":       {simple: fields{"Body": fields{}}, kind: "BadRequestException"},
		"no subject":    {simple: fields{"Subject": nil}, kind: "BadRequestException"},
		"no content":    {change: fields{"Content": fields{}}, kind: "BadRequestException"},
		"no recipient":  {change: to(0), kind: "BadRequestException"},
		"50 recipients": {change: to(50)},
		"51 recipients": {change: to(51), kind: "BadRequestException"},
		"no address": {change: fields{"Destination": fields{"ToAddresses": []string{"ana"}}},
			kind: "BadRequestException"},
		"invalid reply address": {change: fields{"ReplyToAddresses": []string{"ana"}}, kind: "BadRequestException"},
		"a non-ASCII sender": {change: fields{"FromEmailAddress": "Señal <pledges@example.org>"},
			kind: "BadRequestException"},
		"15 headers":                {simple: headers(15, "X-A", "a")},
		"16 headers":                {simple: headers(16, "X-A", "a"), kind: "BadRequestException"},
		"a header of 870":           {simple: headers(1, "X-A", strings.Repeat("a", 870))},
		"a header of 871":           {simple: headers(1, "X-A", strings.Repeat("a", 871)), kind: "BadRequestException"},
		"a non-ASCII header":        {simple: headers(1, "X-A", "ñ"), kind: "BadRequestException"},
		"a header's name":           {simple: headers(1, "X A", "a"), kind: "BadRequestException"},
		"50 tags":                   {change: tags(50, "a")},
		"51 tags":                   {change: tags(51, "a"), kind: "BadRequestException"},
		"a tag of 256":              {change: tags(1, strings.Repeat("a", 256))},
		"a tag of 257":              {change: tags(1, strings.Repeat("a", 257)), kind: "BadRequestException"},
		"a tag with a dot":          {change: tags(1, "a.b"), kind: "BadRequestException"},
		"a file":                    {simple: file(nil)},
		"a file without a name":     {simple: file(fields{"FileName": ""}), kind: "BadRequestException"},
		"inline file":               {simple: file(fields{"ContentDisposition": "inline"}), kind: "BadRequestException"},
		"unknown configuration set": {change: fields{"ConfigurationSetName": "news"}, kind: "NotFoundException"},
		"known configuration set":   {change: fields{"ConfigurationSetName": ConfigurationSet}},
		"unknown field":             {change: fields{"Tags": []fields{}}, kind: "SerializationException"},
		"another type":              {change: fields{"FromEmailAddress": 7}, kind: "SerializationException"},
	} {
		p := &Server{Now: time.Now}
		body, err := json.Marshal(mailWith(tt.change, tt.simple))
		if err != nil {
			t.Fatal(err)
		}
		id, wrong := p.process(body)
		if wrong.Kind != tt.kind || (id == "") != (tt.kind != "") ||
			len(p.Accepted()) != map[bool]int{true: 1}[tt.kind == ""] {
			t.Errorf("%s: %q %+v", name, id, wrong)
		}
	}
}

// SES sets its own Message-ID.
func TestServer_MessageID(t *testing.T) {
	p := &Server{Now: time.Now}
	body, err := json.Marshal(mailWith(nil, fields{"Headers": []fields{named("Message-ID", "<a@example.org>")}}))
	if err != nil {
		t.Fatal(err)
	}
	id, _ := p.process(body)
	if got := p.Accepted()[0].Headers["Message-ID"]; id == "" || got != "<"+id+"@eu-west-1.amazonses.com>" {
		t.Errorf("%q is %s", id, got)
	}
}
