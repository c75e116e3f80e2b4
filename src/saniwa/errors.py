"""Every error that Saniwa raises; all are a `SaniwaError`.

Catch the class that your call documents, and decide by `SaniwaError.code`: codes never change.
"""

from saniwa.core.errors import AgentError as AgentError
from saniwa.core.errors import AlreadyStartedError as AlreadyStartedError
from saniwa.core.errors import CompletionError as CompletionError
from saniwa.core.errors import ConfigurationError as ConfigurationError
from saniwa.core.errors import ConfigurationNotFoundError as ConfigurationNotFoundError
from saniwa.core.errors import ConfigurationParseError as ConfigurationParseError
from saniwa.core.errors import ConfigurationValidationError as ConfigurationValidationError
from saniwa.core.errors import DependencyResolutionError as DependencyResolutionError
from saniwa.core.errors import DocumentError as DocumentError
from saniwa.core.errors import ExperimentError as ExperimentError
from saniwa.core.errors import LifecycleError as LifecycleError
from saniwa.core.errors import LoopError as LoopError
from saniwa.core.errors import ProcessError as ProcessError
from saniwa.core.errors import PromptError as PromptError
from saniwa.core.errors import PromptNotFoundError as PromptNotFoundError
from saniwa.core.errors import PromptParseError as PromptParseError
from saniwa.core.errors import ProtocolError as ProtocolError
from saniwa.core.errors import RulebookError as RulebookError
from saniwa.core.errors import RunError as RunError
from saniwa.core.errors import SaniwaError as SaniwaError
from saniwa.core.errors import ScenarioError as ScenarioError
from saniwa.core.errors import SchemaValidationError as SchemaValidationError
from saniwa.core.errors import ScriptError as ScriptError
from saniwa.core.errors import SdkBridgeError as SdkBridgeError
from saniwa.core.errors import SdkConnectionError as SdkConnectionError
from saniwa.core.errors import SdkRateLimitError as SdkRateLimitError
from saniwa.core.errors import StoreError as StoreError
from saniwa.core.errors import TurnError as TurnError
