package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// node is a part of a JSON Schema.
type node = map[string]any

// JSON returns the indented JSON Schema (draft 2020-12) of a kind of file. For a campaign it
// describes the front matter. ok is false for an unknown kind.
//
// The schema accepts everything that the parsers accept, which is more than forms produce: text can
// be written as a number, numbers can be quoted, and an empty value means a missing one.
func JSON(of string) (text []byte, ok bool) {
	d, ok := Describe(of, "en")
	if !ok {
		return nil, false
	}
	var fields []Field
	for _, s := range d.Sections {
		for _, f := range s.Fields {
			if of != OfCampaign || f.Path != campaignfile.BodyPath {
				fields = append(fields, f)
			}
		}
	}
	root := objectSchema(fields, d.Ignored)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = map[string]string{OfCampaign: "A campaign", OfAddOns: "The platform's add-ons",
		OfSettings: "The site's settings"}[of]
	if of == OfCampaign {
		requireWhenPublic(root, fields)
	}
	if of == OfSettings {
		forbidNotes(root)
	}
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err == nil
}

// forbidNotes removes the rule that allows keys with the prefix "_". Settings must not contain
// them.
func forbidNotes(n node) {
	delete(n, "patternProperties")
	properties, _ := n["properties"].(node)
	for _, p := range properties {
		if below, ok := p.(node); ok {
			forbidNotes(below)
		}
	}
}

// requireWhenPublic requires the fields with WhenPublic set unless the campaign is hidden or a
// preview.
func requireWhenPublic(root node, fields []Field) {
	var needed []string
	for _, f := range fields {
		if f.WhenPublic {
			needed = append(needed, f.Path)
		}
	}
	is := func(key, pattern string) node {
		return node{"required": []string{key}, "properties": node{key: node{"anyOf": []node{{"const": pattern == "true"},
			{"type": "string", "pattern": "(?:" + anyCase(pattern) + ")"}}}}}
	}
	hidden := node{"required": []string{"visibility"},
		"properties": node{"visibility": node{"enum": []string{"hidden", "preview"}}}}
	root["if"] = node{"not": node{"anyOf": []node{is("published", "false"), is("preview_only", "true"), hidden}}}
	root["then"] = node{"required": needed}
}

// anyCase returns a pattern that matches a lower-case word in any case.
func anyCase(word string) string {
	var b strings.Builder
	for _, r := range word {
		b.WriteString("[" + string(r) + strings.ToUpper(string(r)) + "]")
	}
	return "^" + b.String() + "$"
}

// objectSchema returns the schema of an object with the given fields and ignored keys.
func objectSchema(fields []Field, ignored []string) node {
	properties := node{}
	var needed []string
	for _, f := range fields {
		setProperty(properties, f.Path, propertySchema(f))
		section, below, _ := strings.Cut(f.Path, ".")
		if f.Together {
			above := properties[section].(node)
			needs, _ := above["required"].([]string)
			above["required"] = append(needs, below)
		}
		if f.Required {
			needed = append(needed, f.Path)
		}
	}
	for _, key := range ignored {
		setProperty(properties, key, node{"description": "Has no effect.", "deprecated": true})
	}
	n := node{"type": "object", "properties": properties, "additionalProperties": false,
		"patternProperties": node{"^_": true}}
	if needed != nil {
		n["required"] = needed
	}
	return n
}

// setProperty sets the schema of the property at a path. For a path with dots it creates the
// objects around the property.
func setProperty(properties node, path string, p node) {
	key, below, deeper := strings.Cut(path, ".")
	if !deeper {
		properties[key] = p
		return
	}
	section, ok := properties[key].(node)
	if !ok {
		section = node{"type": []string{"object", "null"}, "properties": node{}, "additionalProperties": false,
			"patternProperties": node{"^_": true}}
		properties[key] = section
	}
	setProperty(section["properties"].(node), below, p)
}

// formats explains, by kind, how a value is written in a file. The dashboard does not need these
// texts, because it has a control for each kind.
var formats = map[string]string{
	DateTime: "A date such as 2026-11-30 or a date with a time, in the platform's time zone unless it " +
		"has an offset. A deadline without a time is the end of that day.",
	Month:  "A month such as 2027-05.",
	Money:  "In dollars.",
	Rate:   "A fraction such as 0.07875.",
	Sender: "An address, or a name with an address in angle brackets.",
}

func propertySchema(f Field) node {
	n := valueSchema(f)
	n["title"] = f.Label
	if text := strings.TrimSpace(f.Help + " " + formats[f.Kind]); text != "" {
		n["description"] = text
	}
	if f.Default != nil && f.Kind != Money {
		n["default"] = f.Default
	}
	return n
}

// valueSchema returns the schema of a field's value.
func valueSchema(f Field) node {
	switch f.Kind {
	case Objects:
		return listSchema(f, objectSchema(f.Fields, f.Ignored))
	case Blocks:
		n := listSchema(f, blockSchema(f.Fields))
		n["type"] = []string{"array", "string", "null"}
		return n
	case Choices:
		return listSchema(f, node{"enum": choiceValues(f.Choices)})
	case Integers:
		return listSchema(f, numberSchema(f, "integer", 1))
	case Emails:
		return listSchema(f, node{"type": "string", "pattern": `@`})
	case Texts:
		return listSchema(f, node{"type": []string{"string", "number", "boolean"}, "minLength": 1, "maxLength": int(*f.Max)})
	case Countries:
		return node{"anyOf": []node{{"const": everywhere},
			{"type": "array", "items": node{"type": "string", "pattern": "^[A-Z]{2}$"}}, {"type": "null"}}}
	}
	return scalarSchema(f)
}

// listSchema returns the schema of a list with the field's limits. An entry of a decision's options
// can also be a string, the option's label.
func listSchema(f Field, entry node) node {
	n := node{"type": []string{"array", "null"}, "items": entry}
	if f.Path == "options" {
		n["items"] = node{"anyOf": []node{{"type": []string{"string", "number", "boolean"},
			"minLength": 1, "maxLength": f.Fields[0].MaxLength}, entry}}
	}
	if f.Required {
		n["type"] = "array"
	}
	if f.MinLength > 0 {
		n["minItems"] = f.MinLength
	}
	if f.MaxLength > 0 {
		n["maxItems"] = f.MaxLength
	}
	return n
}

// blockSchema returns the schema of a content block, with one alternative per block type.
func blockSchema(fields []Field) node {
	var all []node
	for _, kind := range fields[0].Choices {
		of := slices.DeleteFunc(slices.Clone(fields),
			func(f Field) bool { return f.Only != nil && !slices.Contains(f.Only, kind.Value) })
		n := objectSchema(of, nil)
		n["title"] = kind.Label
		n["properties"].(node)["type"] = node{"const": kind.Value}
		all = append(all, n)
	}
	return node{"oneOf": all}
}

func choiceValues(choices []Option) []any {
	var all []any
	for _, c := range choices {
		all = append(all, c.Value)
	}
	return all
}

func scalarSchema(f Field) node {
	switch f.Kind {
	case Boolean:
		return valueOrText(f, node{"type": "boolean"}, anyCase("true")+"|"+anyCase("false"))
	case Choice:
		all := choiceValues(f.Choices)
		if !f.Required {
			all = append(all, "", nil)
		}
		if !slices.Contains(all, any("true")) {
			return node{"enum": all}
		}
		return valueOrText(f, node{"enum": append(all, true, false)}, anyCase("true")+"|"+anyCase("false"))
	case Money:
		return numberSchema(f, "number", 100)
	case Integer, Percent:
		return numberSchema(f, "integer", 1)
	case Decimal, Rate:
		return numberSchema(f, "number", 1)
	case DateTime:
		return patternSchema(f,
			`[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,]0+)?)?(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?)?`)
	case Month:
		return patternSchema(f, `[0-9]{4}-[0-9]{2}`)
	}
	return textSchema(f)
}

// textSchema returns the schema of a text. Unquoted numbers and booleans are accepted too, because
// the parsers read them as text.
func textSchema(f Field) node {
	n := node{"type": []string{"string", "number", "boolean", "null"}}
	if f.Required {
		n["type"] = []string{"string", "number", "boolean"}
	}
	if f.MaxLength > 0 {
		n["maxLength"] = f.MaxLength
	}
	if f.MinLength > 0 {
		n["minLength"] = f.MinLength
	}
	if f.Pattern != "" {
		n["pattern"] = `^\s*$|` + f.Pattern
	}
	return n
}

func patternSchema(f Field, p string) node {
	n := node{"type": []string{"string", "null"}, "pattern": `^\s*(?:` + p + `)?\s*$`}
	if f.Required {
		n["type"], n["pattern"] = "string", `^\s*`+p+`\s*$`
	}
	return n
}

// numerals contains the patterns of quoted numbers, by kind, for kinds with a special format. Amounts
// can have a dollar sign and commas.
var numerals = map[string]string{Money: `\$?\s?[0-9][0-9,]*(?:\.[0-9]{1,2})?`}

// numberSchema returns the schema of a number or quoted number. It divides the field's limits by
// units to convert them to the file's unit, such as cents to dollars.
func numberSchema(f Field, kind string, units float64) node {
	n := node{"type": kind}
	if f.Min != nil {
		n["minimum"] = *f.Min / units
	}
	if f.Max != nil {
		n["maximum"] = *f.Max / units
	}
	if f.Step > 0 {
		n["multipleOf"] = float64(f.Step) / units
	}
	p, ok := numerals[f.Kind]
	if !ok {
		p = `[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)`
	}
	if !f.Required {
		p = "(?:" + p + ")?"
	}
	return valueOrText(f, n, `^\s*`+p+`\s*$`)
}

// valueOrText returns a schema that accepts n or a string that matches pattern. If the field is not
// required, it also accepts null.
func valueOrText(f Field, n node, pattern string) node {
	all := []node{n, {"type": "string", "pattern": pattern}}
	if !f.Required {
		all = append(all, node{"type": "null"})
	}
	return node{"anyOf": all}
}
