"""What you can implement: models, listeners, narrators, clocks, tools, checks.

Each port is a Protocol: a class with these methods is one, without inheriting from it.
The values that ports exchange are here too.
"""

from saniwa.agent.layer_contracts import CompletionCase as CompletionCase
from saniwa.agent.layer_contracts import CompletionHandler as CompletionHandler
from saniwa.agent.layer_contracts import CompletionResult as CompletionResult
from saniwa.agent.layer_contracts import EscalationNotifier as EscalationNotifier
from saniwa.agent.layer_contracts import PromptResolver as PromptResolver
from saniwa.agent.layer_contracts import SdkBridge as SdkBridge
from saniwa.agent.layer_contracts import StepCheckResult as StepCheckResult
from saniwa.agent.layer_contracts import StepChecker as StepChecker
from saniwa.agent.mind.text_similarities import TextSimilarity as TextSimilarity
from saniwa.agent.port import AgentPort as AgentPort
from saniwa.agent.tools.tool import AgentTool as AgentTool
from saniwa.agent.tools.tool import ApprovalDecision as ApprovalDecision
from saniwa.agent.tools.tool import ApprovalRequest as ApprovalRequest
from saniwa.agent.tools.tool import ToolApprover as ToolApprover
from saniwa.app.model_factory import OracleOpener as OracleOpener
from saniwa.core.clock import Clock as Clock
from saniwa.core.clock import Pause as Pause
from saniwa.core.ids import Ids as Ids
from saniwa.models.metering import CallBudget as CallBudget
from saniwa.models.oracle import Oracle as Oracle
from saniwa.models.oracle import OracleAnswer as OracleAnswer
from saniwa.models.oracle import OracleMessage as OracleMessage
from saniwa.models.oracle import OracleRequest as OracleRequest
from saniwa.models.oracle import TextListener as TextListener
from saniwa.models.oracle import ToolCall as ToolCall
from saniwa.models.oracle import ToolOffer as ToolOffer
from saniwa.models.oracle import ToolOutput as ToolOutput
from saniwa.models.oracle import Usage as Usage
from saniwa.models.recording import AgentJournal as AgentJournal
from saniwa.process.ports import Messenger as Messenger
from saniwa.process.ports import ToolJournal as ToolJournal
from saniwa.rulebook.predicates import ActionCase as ActionCase
from saniwa.rulebook.predicates import PluginAnswer as PluginAnswer
from saniwa.runs.ports import Listener as Listener
from saniwa.runs.ports import Narrator as Narrator
from saniwa.runs.ports import RunStore as RunStore
from saniwa.runs.ports import TurnLog as TurnLog
from saniwa.store.run_records import RunRecord as RunRecord
from saniwa.store.run_records import RunSave as RunSave
from saniwa.store.run_records import RunSummary as RunSummary
