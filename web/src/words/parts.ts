/** The words of the parts every page is made of. */
export default {
  en: {
    close: "Close",
    loading: "Loading…",
    more: "Show more",
    copy: "Copy",
    copied: "Copied.",
    code: "Text",
    again: "Try again",
    dismiss: "Dismiss",
    notices: "Notices",
    particulars: "Details from the server",
  },
  ja: {
    close: "閉じる",
    loading: "読み込み中…",
    more: "もっと見る",
    copy: "コピー",
    copied: "コピーしました。",
    code: "テキスト",
    again: "もう一度",
    dismiss: "閉じる",
    notices: "お知らせ",
    particulars: "サーバーからの詳細（英語）",
  },
};
