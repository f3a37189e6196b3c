package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// read gives the expression to the cron library, in UTC, or says what is wrong with it.
func read(expr string) (cron.Schedule, error) {
	if err := refuse(expr); err != nil {
		return nil, err
	}
	spec, err := cron.ParseStandard(expr)
	if err != nil {
		return nil, explain(expr)
	}
	if s, ok := spec.(*cron.SpecSchedule); ok {
		s.Location = time.UTC
	}
	return spec, nil
}

// refuse names what the cron library takes, or trips over, and a schedule does not.
func refuse(expr string) error {
	switch {
	case expr == "":
		return errors.New(`is empty; write five fields such as "0 */6 * * *"`)
	case strings.HasPrefix(expr, "TZ="), strings.HasPrefix(expr, "CRON_TZ="):
		return errors.New("names a time zone; set service.timezone instead")
	case strings.HasPrefix(expr, "@every"):
		return errors.New(`counts from the start of the process; write times on the clock, such as "0 */6 * * *"`)
	case strings.HasPrefix(expr, "@"):
		return nil
	}
	if n := len(strings.Fields(expr)); n != 5 {
		return fmt.Errorf("has %d fields, not five; write minute, hour, day of month, month and day of week", n)
	}
	return nil
}

// explain finds the field that the cron library does not take.
func explain(expr string) error {
	if strings.HasPrefix(expr, "@") {
		return errors.New("is not one of @hourly, @daily, @weekly, @monthly and @yearly")
	}
	takes := [5]string{"minutes are 0-59", "hours are 0-23", "days of the month are 1-31",
		"months are 1-12 or jan-dec", "days of the week are 0-6 or sun-sat, 0 is Sunday"}
	for i, field := range strings.Fields(expr) {
		alone := [5]string{"*", "*", "*", "*", "*"}
		alone[i] = field
		if _, err := cron.ParseStandard(strings.Join(alone[:], " ")); err != nil {
			return fmt.Errorf("has %q in field %d; %s, as a list 1,2, a range 1-5 or a step */2", field, i+1, takes[i])
		}
	}
	return errors.New("is not a cron expression")
}
