package campaignfile_test

import (
	"encoding/json"
	"fmt"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

func ExampleParse() {
	_, err := campaignfile.Parse("campaigns/night-ferry.md", []byte(`---
title: Night Ferry
start_date: 2026-11-02
goal_deadline: 18 December
goal_amount: 12,000
tiers:
  - name: Digital premiere
    price: 25.005
---
`))
	fmt.Println(err)
	// Output:
	// campaigns/night-ferry.md:4: goal_deadline: write a date such as 2026-03-01, or a date and time such as 2026-03-01 18:00
	// campaigns/night-ferry.md:8: tiers[0].price: write an amount in dollars such as 25 or 25.00
}

func ExampleLoad() {
	repository := fstest.MapFS{"campaigns/night-ferry.md": {Data: []byte(`---
title: Night Ferry
start_date: 2026-11-02
goal_deadline: 2026-12-18
goal_amount: 12,000
---
`)}}
	catalogue, err := campaignfile.Load(repository)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := catalogue.Campaign("night-ferry")
	if err != nil {
		fmt.Println(err)
		return
	}
	zone := time.FixedZone("platform", -7*60*60)
	lastSecond := time.Date(2026, 12, 18, 23, 59, 59, 0, zone)
	fmt.Println(c.Goal, c.State(lastSecond, zone), c.State(lastSecond.Add(time.Second), zone))
	// Output: $12,000.00 live ended
}

// A form's change of a campaign, from the file to the text of the commit.
func ExampleDocument() {
	before, err := campaignfile.Open("campaigns/night-ferry.md", []byte(`---
title: Night Ferry
preview_only: true
goal_amount: 9000 # dollars
---
One night, one boat.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	after, err := before.Apply(campaignfile.Change{Path: "goal_amount", Value: json.RawMessage(`"12000"`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := after.Campaign(); err != nil {
		fmt.Println(err) // all problems, with lines and fields
		return
	}
	for _, d := range before.Diff(after) {
		fmt.Printf("%s: %s to %s\n\n", d.Path, d.Before, d.After)
	}
	fmt.Printf("%s", after.Bytes())
	// Output:
	// goal_amount: 9000 to 12000
	//
	// ---
	// title: Night Ferry
	// preview_only: true
	// goal_amount: 12000 # dollars
	// ---
	// One night, one boat.
}
