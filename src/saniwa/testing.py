"""Stand-ins for models, clocks and ids, so that your tests are fast and repeatable."""

from saniwa.agent.journal import MemoryJournal as MemoryJournal
from saniwa.agent.prompt_resolver import MemoryPromptResolver as MemoryPromptResolver
from saniwa.core.clock import FixedClock as FixedClock
from saniwa.core.ids import CountingIds as CountingIds
from saniwa.experiment.stand_in.character import StandIn as StandIn
from saniwa.models.canned_answers import CannedAnswer as CannedAnswer
from saniwa.models.canned_answers import CannedOracle as CannedOracle
from saniwa.models.fuzzing_oracle import FuzzingOracle as FuzzingOracle
