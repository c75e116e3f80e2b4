"""A tour that starts one survey for each site and has its contract read in the meantime."""

from saniwa.process.definition import Process
from saniwa.process.reader import read_process_text

SURVEY = """
process_id: survey
version: "1"
name: A survey
context_schema: {type: object, properties: {site: {type: string}}}
states: [open, {name: done, is_final: true}, {name: dropped, is_final: true}]
events: [{name: submit, allowed_roles: ["*"]}, {name: drop, allowed_roles: ["*"]}]
transitions:
  - {from: open, event: submit, to: done}
  - {from: open, event: drop, to: dropped}
"""
TOUR = """
process_id: tour
version: "1"
name: A tour
states:
  - plan
  - name: gather
    children: [{name: surveys, process: survey, each: sites, item_variable: site}]
    lanes:
      - name: legal
        states: [reading, {name: cleared, is_final: true}]
        transitions: [{from: reading, event: clear, to: cleared, guard: signed}]
  - {name: over, is_final: true}
  - {name: failed, is_final: true}
events:
  - {name: start, allowed_roles: ["*"]}
  - {name: clear, allowed_roles: ["*"]}
  - {name: cancel, allowed_roles: ["*"]}
transitions:
  - {from: plan, event: start, to: gather}
  - {from: gather, when: children, guard: all_done, to: over}
  - {from: gather, when: children, guard: one_dropped, to: failed}
  - {from: gather, event: cancel, to: failed}
guards:
  all_done: {type: children, ended_in: [done, cleared]}
  one_dropped: {type: children, names: [surveys], condition: any, ended_in: [dropped]}
  signed: {type: artifact, artifact_type: signature, condition: exists}
artifacts: [signature]
"""


def read_tour(text: str = TOUR) -> Process:
    """The process in a text, which must have no findings."""
    read = read_process_text(text)
    assert read.process is not None, read.report.findings
    return read.process
