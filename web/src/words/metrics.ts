/** What the numbers of an experiment are called, and what they count. */

type Told = { label: string; about: string };

/** By the server's name of the number. */
const METRICS: Record<"en" | "ja", Record<string, Told>> = {
  en: {
    impossible_deed_rate: { label: "Impossible actions", about: "Share of the actions in first answers that were refused." },
    final_impossible_deed_rate: { label: "Impossible actions left", about: "Share of the actions in final answers that were refused." },
    invented_deed_rate: { label: "Invented actions", about: "Share of the actions in first answers whose target does not exist in the world." },
    deeds_per_turn: { label: "Actions per turn", about: "Actions in first answers, per turn." },
    milestone_rate: { label: "Milestones passed", about: "Share of the milestones to the goal that were passed; no value if there are none." },
    impossible_rate: { label: "Impossible actions per turn", about: "Refused actions in final answers, per turn." },
    first_try_validity: { label: "First-try validity", about: "Share of turns whose first answer was possible as it was." },
    first_turn_validity: { label: "First-turn validity", about: "Whether the first answer of the first turn was possible as it was." },
    impossible_first_rate: { label: "Impossible actions per first try", about: "Refused actions in first answers, per turn." },
    invented_rate: { label: "Inventions per first try", about: "Actions in first answers whose target does not exist in the world, per turn." },
    avg_retry_steps_extra: { label: "Retries per turn", about: "Answers requested after the first, per turn." },
    retried_rate: { label: "Retried turns", about: "Share of turns with at least one retry." },
    retry_success_rate: { label: "Retry success", about: "Share of retries whose answer was possible." },
    silent_correction_rate: { label: "Silent corrections", about: "Share of turns with a retry that were corrected without an apology." },
    give_up_rate: { label: "Give-ups", about: "Share of turns that were given up." },
    stall_mean: { label: "Stall score", about: "Mean over turns of a score from 0 (lively) to 1 (standstill): it rises as a turn repeats what was said, changes nothing or is very short." },
    stall_event_rate: { label: "Standstills", about: "Share of turns at which a standstill was announced." },
    stall_recovery_rate: { label: "Recoveries from standstills", about: "Share of standstills followed by a lively turn before the next." },
    format_break_rate: { label: "Format breaks", about: "Share of turns whose first answer broke the format." },
    repair_rate: { label: "Repairs of format breaks", about: "Share of answers with a broken format that were repaired." },
    unread_rate: { label: "Actions not understood per turn", about: "Actions in final answers that were not understood, per turn." },
    addressing_rate: { label: "Speaking to a character who cannot hear", about: "Share of turns addressed to a character who cannot hear them." },
    goal_reached: { label: "Goal reached", about: "Whether the goal was reached; no value if there is no goal." },
    latency_p50: { label: "Latency, median", about: "Median over turns of the time taken by all answers of a turn." },
    latency_p95: { label: "Latency, 95th percentile", about: "95th percentile over turns of the time taken by all answers of a turn." },
    tokens_per_turn: { label: "Tokens per turn", about: "Input and output tokens, per turn." },
    cost_per_turn: { label: "Cost per turn", about: "Cost of the answers, per turn." },
    hard_denied: { label: "Turns lost entirely", about: "Turns of a run that were refused and whose speech was lost too." },
    crash: { label: "Crashes", about: "Whether the run ended with an error." },
  },
  ja: {
    impossible_deed_rate: { label: "不可能な行動の割合", about: "最初の回答で試みた行動のうち、拒否された割合。" },
    final_impossible_deed_rate: { label: "残った不可能な行動の割合", about: "最終回答の行動のうち、拒否された割合。" },
    invented_deed_rate: { label: "作り話の行動の割合", about: "最初の回答の行動のうち、世界のどこにもないものへの行動の割合。" },
    deeds_per_turn: { label: "1手番あたりの行動", about: "最初の回答で試みた行動の数（1手番あたり）。どれだけ行動したかを示す。" },
    milestone_rate: { label: "通過した節目", about: "目標に至る節目のうち、通過した割合。節目のないものは数えない。" },
    impossible_rate: { label: "1手番あたりの不可能な行動", about: "最終回答に残った、拒否された行動の数（1手番あたり）。" },
    first_try_validity: { label: "初回の妥当率", about: "最初の回答がそのまま成り立つ手番の割合。" },
    first_turn_validity: { label: "最初の手番の妥当率", about: "最初の手番の最初の回答が、そのまま成り立つかどうか。" },
    impossible_first_rate: { label: "初回回答の不可能な行動", about: "最初の回答で拒否された行動の数（1手番あたり）。" },
    invented_rate: { label: "初回回答の作り話", about: "世界のどこにもないものへの行動の数（最初の回答、1手番あたり）。" },
    avg_retry_steps_extra: { label: "1手番あたりのやり直し", about: "2回目以降に求めた回答の数（1手番あたり）。" },
    retried_rate: { label: "やり直しのあった手番", about: "やり直しが一度でもあった手番の割合。" },
    retry_success_rate: { label: "やり直しの成功率", about: "やり直しのうち、成り立つ回答が得られた割合。" },
    silent_correction_rate: { label: "自然な修正", about: "やり直した手番のうち、謝らずに行動を改めた割合。" },
    give_up_rate: { label: "断念", about: "断念した手番の割合。" },
    stall_mean: { label: "停滞度", about: "0（活発）から1（停滞）までの点数の、全手番の平均。前の発話を繰り返す、何も変えない、とても短い、のどれかで高くなる。" },
    stall_event_rate: { label: "停滞の発生", about: "停滞と判定された手番の割合。" },
    stall_recovery_rate: { label: "停滞からの回復", about: "次の停滞までに活発な手番が戻った停滞の割合。" },
    format_break_rate: { label: "書式の乱れ", about: "最初の回答の書式が乱れた手番の割合。" },
    repair_rate: { label: "書式の修復率", about: "書式の乱れた回答のうち、修復できた割合。" },
    unread_rate: { label: "解釈できなかった行動", about: "最終回答のうち、解釈できなかった行動の数（1手番あたり）。" },
    addressing_rate: { label: "聞こえない相手への発話", about: "聞こえない相手に話しかけた手番の割合。" },
    goal_reached: { label: "目標の達成", about: "目標に達したかどうか。目標のないものは数えない。" },
    latency_p50: { label: "応答時間（中央値）", about: "1手番の回答すべてにかかった時間の中央値。" },
    latency_p95: { label: "応答時間（95パーセンタイル）", about: "遅いほうの5%を除く、すべての手番が収まる時間。" },
    tokens_per_turn: { label: "1手番あたりのトークン", about: "入力と出力のトークン数（1手番あたり）。" },
    cost_per_turn: { label: "1手番あたりの費用", about: "回答にかかった費用（1手番あたり）。" },
    hard_denied: { label: "丸ごと失われた手番", about: "行動を拒否され、発話も失われた手番の数（1回の試行あたり）。" },
    crash: { label: "異常終了", about: "試行がエラーで終わったかどうか。" },
  },
};

/** A number's name and meaning in a language; one that is new to this page goes by the server's own words. */
export function describeMetric(name: string, language: "en" | "ja", otherwise: Told): Told {
  return METRICS[language][name] ?? otherwise;
}
